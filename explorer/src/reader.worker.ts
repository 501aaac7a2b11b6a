/** The reader, off the page's thread: decoding Parquet must not stop the page from answering keys. */
import { DeltaError, httpStore, jsEngine } from '../../src/browser.ts'
import type { AnswerMessage, CallMessage, Failure, Reader, TableAddress } from './messages.ts'
import { TableReader } from './table-reader.ts'

const engine = jsEngine()
let current: TableReader | undefined

const reader: Reader = {
  open({ id }: TableAddress) {
    const url = new URL(`../store/${id}/`, location.href).href
    current = new TableReader(httpStore(url, { listing: true }), engine)
    return current.open()
  },
  state: (version) => opened().state(version),
  files: (version, where) => opened().files(version, where),
  commit: (version) => opened().commit(version),
  rows: (version, where, offset, limit) => opened().rows(version, where, offset, limit),
}

function opened(): TableReader {
  if (current === undefined) throw new Error('no table is open')
  return current
}

addEventListener('message', ({ data }: MessageEvent<CallMessage>) => {
  void answer(data).then((message) => postMessage(message))
})

async function answer({ id, method, args }: CallMessage): Promise<AnswerMessage> {
  try {
    const call = reader[method] as (...args: readonly unknown[]) => Promise<unknown>
    return { id, ok: true, value: await call(...args) }
  } catch (error) {
    return { id, ok: false, failure: failureOf(error) }
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof DeltaError) return { code: error.code, message: error.message, remedy: error.remedy }
  return { code: 'LAKE_INTERNAL', message: error instanceof Error ? error.message : String(error), remedy: undefined }
}
