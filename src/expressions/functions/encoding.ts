/** Hashes, digests, base64 and character sets. */
import { deltaError } from '../../errors/index.ts'
import { binaryType, booleanType, integerType, longType, stringType, type Value } from '../../schema/index.ts'
import { decodeUtf8Strict, encodeBase64, encodeUtf8 } from '../../support/index.ts'
import { anyType, only } from '../bind/expected.ts'
import type { BoundExpression } from '../expression.ts'
import { crc32, md5, sha1, sha2 } from '../hash/digest.ts'
import { type HashKernel, hasher, murmur3, xxHash64 } from '../hash/spark-hash.ts'
import { unsupported } from '../unsupported.ts'
import { bindCase, type OperatorBinder } from './conditional.ts'
import {
  type CallShape,
  callOf,
  castArguments,
  type Evaluator,
  type FunctionEntry,
  type NotNull,
  simple,
} from './entry.ts'

const binary = only(binaryType)
const text = only(stringType)

function hashEntry<S extends number | bigint>(
  name: string,
  kernel: HashKernel<S>,
  seed: S,
  long: boolean,
): FunctionEntry {
  return simple({
    name,
    takes: [anyType],
    most: Number.POSITIVE_INFINITY,
    gives: long ? longType : integerType,
    lazy({ types, evaluators }: CallShape): Evaluator {
      const hashers = types.map((type) => hasher(type, kernel))
      return (row) => evaluators.reduce((sum, evaluator, i) => hashers[i]!(evaluator(row), sum), seed)
    },
  })
}

function digest(
  name: string,
  aliases: readonly string[],
  compute: (bytes: Uint8Array) => Value,
  gives = stringType,
): FunctionEntry {
  return simple({ name, aliases, takes: [binary], gives, strict: () => (bytes) => compute(bytes as Uint8Array) })
}

/** MIME's form: lines of 76 characters. */
function mimeBase64(bytes: Uint8Array): string {
  return (encodeBase64(bytes).match(/.{1,76}/g) ?? []).join('\r\n')
}

/** MIME's form: what is no letter of the alphabet is passed over. */
function fromMimeBase64(value: string): Uint8Array {
  const letters = value.replace(/[^A-Za-z0-9+/=]/g, '')
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(letters) || letters.replace(/=+$/, '').length % 4 === 1) {
    throw unsupported('unbase64 of a text that is not base64', 'check the text')
  }
  return Uint8Array.from(atob(letters.replace(/=+$/, '')), (character) => character.charCodeAt(0))
}

type Codec = {
  readonly encode: (value: string) => Uint8Array | undefined
  readonly decode: (bytes: Uint8Array) => string | undefined
}

function singleByte(limit: number): Codec {
  return {
    encode: (value) => {
      const codes = Array.from(value, (point) => point.codePointAt(0)!)
      return codes.every((code) => code < limit) ? Uint8Array.from(codes) : undefined
    },
    decode: (bytes) =>
      bytes.every((byte) => byte < limit) ? Array.from(bytes, (byte) => String.fromCharCode(byte)).join('') : undefined,
  }
}

const LONE_SURROGATE = /[\ud800-\udfff]/u

function utf16(littleEndian: boolean): Codec {
  return {
    encode: (value) => {
      if (LONE_SURROGATE.test(value)) return undefined
      const view = new DataView(new ArrayBuffer(value.length * 2))
      for (let i = 0; i < value.length; i++) view.setUint16(i * 2, value.charCodeAt(i), littleEndian)
      return new Uint8Array(view.buffer)
    },
    decode: (bytes) => {
      if (bytes.length % 2 !== 0) return undefined
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
      const value = Array.from({ length: bytes.length / 2 }, (_, i) =>
        String.fromCharCode(view.getUint16(i * 2, littleEndian)),
      )
      const joined = value.join('')
      return LONE_SURROGATE.test(joined) ? undefined : joined
    },
  }
}

/** UTF-16 with a mark of its byte order in front; without one it is big-endian. */
const markedUtf16: Codec = {
  encode: (value) => utf16(false).encode(`\ufeff${value}`),
  decode: (bytes) => {
    if (bytes[0] === 0xff && bytes[1] === 0xfe) return utf16(true).decode(bytes.subarray(2))
    return utf16(false).decode(bytes[0] === 0xfe && bytes[1] === 0xff ? bytes.subarray(2) : bytes)
  },
}

const CHARSETS: ReadonlyMap<string, Codec> = new Map([
  ['UTF-8', { encode: (value: string) => encodeUtf8(value), decode: decodeUtf8Strict }],
  ['US-ASCII', singleByte(128)],
  ['ISO-8859-1', singleByte(256)],
  ['UTF-16', markedUtf16],
  ['UTF-16BE', utf16(false)],
  ['UTF-16LE', utf16(true)],
])

function codecOf(charset: string): Codec {
  const codec = CHARSETS.get(charset.toUpperCase())
  if (codec !== undefined) return codec
  if (charset.toUpperCase() === 'UTF-32') throw unsupported('UTF-32', 'use UTF-8')
  throw deltaError('INVALID_PARAMETER_VALUE.CHARSET', { charset })
}

function coded<T>(name: string, charset: string, result: T | undefined): T {
  if (result === undefined) throw deltaError('MALFORMED_CHARACTER_CODING', { name, charset })
  return result
}

/** `decode(bytes, charset)`, or with more arguments a choice by value as Oracle's DECODE. */
function bindDecode(operator: OperatorBinder): FunctionEntry['bind'] {
  return (args, site) => {
    if (args.length === 2) return callOf('decode', castArguments(args, [binary, text], site.name), stringType)
    const [subject, ...rest] = args as [BoundExpression, ...BoundExpression[]]
    const branches = []
    for (let i = 0; i + 1 < rest.length; i += 2) {
      branches.push({ when: operator('<=>', [subject, rest[i]!], site), then: rest[i + 1]! })
    }
    return bindCase('decode', branches, rest.length % 2 === 1 ? rest.at(-1) : undefined)
  }
}

export function encodingFunctions(operator: OperatorBinder): readonly FunctionEntry[] {
  return [
    hashEntry('hash', murmur3, 42, false),
    hashEntry('xxhash64', xxHash64, 42n, true),
    digest('md5', [], md5),
    digest('sha1', ['sha'], sha1),
    digest('crc32', [], (bytes) => BigInt(crc32(bytes)), longType),
    simple({
      name: 'sha2',
      takes: [binary, only(integerType)],
      gives: stringType,
      strict: () => (bytes, bits) => sha2(bytes as Uint8Array, bits === 0 ? 256 : (bits as number)) ?? null,
    }),
    digest('base64', [], mimeBase64),
    simple({
      name: 'unbase64',
      takes: [text],
      gives: binaryType,
      strict: () => (value) => fromMimeBase64(value as string),
    }),
    simple({
      name: 'encode',
      takes: [text, text],
      gives: binaryType,
      strict: () => (value, charset) =>
        coded('encode', charset as string, codecOf(charset as string).encode(value as string)),
    }),
    {
      name: 'decode',
      arity: [2, Number.POSITIVE_INFINITY],
      bind: bindDecode(operator),
      strict: () => (bytes: NotNull, charset: NotNull) =>
        coded('decode', charset as string, codecOf(charset as string).decode(bytes as Uint8Array)),
    },
    digest('is_valid_utf8', [], (bytes) => decodeUtf8Strict(bytes) !== undefined, booleanType),
  ]
}
