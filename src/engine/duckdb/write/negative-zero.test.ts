import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodePath } from '../../../kernel/index.ts'
import { arrayType, doubleType, field, floatType, type Row, structType } from '../../../schema/index.ts'
import { localStore } from '../../../storage/fs/index.ts'
import type { Engine } from '../../index.ts'
import { duckdbEngine } from '../index.ts'

let root: string
let engine: Engine
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'zeros-'))
  engine = duckdbEngine({ threads: 2, memoryLimit: '500MB' })
})
afterAll(async () => {
  await engine.close()
  rmSync(root, { recursive: true })
})

const schema = structType([
  field('a, b', floatType),
  field('d', doubleType),
  field('l', arrayType(doubleType)),
  field('s', structType([field('x', floatType)])),
])

test.each([
  ['positive first', [0, -0, 0, -0]],
  ['negative first', [-0, 0, 1.5, 0]],
  ['nulls among them', [null, 0, -0, null]],
])('zeros keep their signs: %s', async (_, zeros) => {
  const store = localStore(root)
  const layout = { schema, partitionColumns: [], columnMapping: 'none' } as const
  // enough of them that the writer finds a dictionary worth its while
  const many = Array.from({ length: 50 }, () => zeros).flat()
  const rows: Row[] = many.map((zero) => [zero, zero, [zero, 0, -0], zero === null ? null : [zero]])
  const source = async function* () {
    yield rows
  }
  const { files } = await engine.write(
    { kind: 'rows', schema, rows: source() },
    {
      store,
      layout,
      compression: 'zstd',
      targetFileSize: 1e8,
      statistics: { kind: 'first', limit: 32, stringPrefixLength: 32 },
    },
  )
  const read: Row[] = []
  const scanned = files.map((file) => ({ ...file, path: encodePath(file.key), dataChange: true }))
  for await (const batch of engine.scan({ store, layout, files: scanned, columns: [0, 1, 2, 3] })) {
    for (let i = 0; i < batch.numRows; i++) read.push([0, 1, 2, 3].map((column) => batch.column(column)[i] ?? null))
  }
  expect(read).toEqual(rows)
})
