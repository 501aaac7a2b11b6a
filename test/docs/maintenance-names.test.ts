/** docs/maintenance.md names errors, options and methods that are there. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { registry } from '../../src/cli/registry.ts'
import { catalogue } from '../../src/errors/index.ts'
import { parseStatement } from '../../src/sql/parser/index.ts'
import { DeltaTable } from '../../src/table/index.ts'
import { repositoryRoot } from '../support/shared.ts'

const page = readFileSync(join(repositoryRoot, 'docs/maintenance.md'), 'utf8')
const found = (pattern: RegExp) => [...new Set([...page.matchAll(pattern)].map(([, text]) => text!))]

test('every code it names is in the catalogue', () => {
  const codes = found(/`((?:DELTA|LAKE)_[A-Z_]+)`/g)
  const known = Object.keys(catalogue)
  expect(codes.length).toBeGreaterThan(6)
  expect(codes.filter((code) => !known.some((name) => name === code || name.startsWith(`${code}.`)))).toEqual([])
})

test('every method it calls is one of a table', () => {
  const methods = found(/orders\.(\w+)\(/g)
  expect(methods.length).toBeGreaterThan(5)
  expect(methods.filter((name) => !(name in DeltaTable.prototype))).toEqual([])
})

test('every command line it shows has the options of its command', async () => {
  const lines = found(/^(bayou .*)$/gm).map((line) => line.split(' '))
  expect(lines.length).toBeGreaterThan(8)
  for (const [, verb, ...words] of lines) {
    const entry = registry.find(({ name }) => name === verb)
    expect(entry, verb).toBeDefined()
    const command = new Command(verb)
    ;(await entry!.load()).define(command)
    const known = command.options.map(({ long }) => long)
    expect(words.filter((word) => word.startsWith('--') && !known.includes(word))).toEqual([])
  }
})

test('every whole statement it shows can be read', () => {
  const shown = [
    ...found(/``((?:VACUUM|CONVERT) [^\n]+?)``/g),
    ...found(/(?<!`)`((?:VACUUM|RESTORE|GENERATE|FSCK) [^`\n]+)`(?!`)/g),
  ]
  const statements = shown.filter((text) => !/[…|[]/.test(text))
  expect(statements.length).toBeGreaterThan(4)
  for (const statement of statements) expect(parseStatement(statement).kind, statement).toBeTypeOf('string')
})
