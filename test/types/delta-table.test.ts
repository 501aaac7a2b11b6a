/** What the compiler must accept and refuse of the programming interface. */
import { expectTypeOf, test } from 'vitest'
import {
  type Batch,
  DeltaTable,
  type DeltaTables,
  type DetailRecord,
  type HistoryRecord,
  type RowObject,
  type StructType,
  type WriteCommandResult,
} from '../../src/index.ts'

/** Never called: its types are what is tested. */
async function session(table: DeltaTable): Promise<void> {
  expectTypeOf(DeltaTable).toEqualTypeOf<DeltaTables>()
  expectTypeOf(DeltaTable.forPath('/lake')).resolves.toEqualTypeOf<DeltaTable>()
  expectTypeOf(DeltaTable.isDeltaTable('/lake')).resolves.toEqualTypeOf<boolean>()
  expectTypeOf(table.versionAsOf(1).rows()).resolves.toEqualTypeOf<RowObject[]>()
  expectTypeOf(table.timestampAsOf(new Date()).count()).resolves.toEqualTypeOf<number>()
  expectTypeOf(table.snapshot()).resolves.toEqualTypeOf<DeltaTable>()
  expectTypeOf(table.schema()).resolves.toEqualTypeOf<StructType>()
  expectTypeOf(table.history(1)).resolves.toEqualTypeOf<HistoryRecord[]>()
  expectTypeOf(table.detail()).resolves.toEqualTypeOf<DetailRecord>()
  for await (const batch of table.scan({ where: 'a = 1', select: ['a'], limit: 1 }).batches()) {
    expectTypeOf(batch).toEqualTypeOf<Batch>()
  }
  for await (const row of table.scan({ as: 'js', version: 3 })) expectTypeOf(row).toEqualTypeOf<RowObject>()

  const signal = new AbortController().signal
  expectTypeOf(table.append([{ a: 1 }], { signal, mergeSchema: true })).resolves.toEqualTypeOf<WriteCommandResult>()
  async function* stream() {
    yield { a: 1n }
  }
  await table.append(stream(), { txn: { appId: 'a', version: 1n }, onProgress: ({ rows }) => rows.toFixed() })
  await table.overwrite([], { overwriteSchema: true, partitionBy: ['a'] })
  await DeltaTable.write('/lake', new Set([{ a: 1 }]), { mode: 'overwrite', schema: 'a INT', properties: { k: 'v' } })
  await DeltaTable.create().location('/lake').addColumn('a', 'INT', { nullable: false }).partitionedBy('a').execute()

  type Parameter = Parameters<DeltaTable['append']>[1]
  expectTypeOf<{ overwriteSchema: true }>().not.toExtend<NonNullable<Parameter>>()
  expectTypeOf<{ mode: 'upsert' }>().not.toExtend<NonNullable<Parameters<DeltaTables['write']>[2]>>()
  expectTypeOf<{ as: 'lossy' }>().not.toExtend<NonNullable<Parameters<DeltaTable['scan']>[0]>>()
  expectTypeOf<number>().not.toExtend<Parameters<DeltaTable['append']>[0]>()
}

test('the interface has the types that programs rely on', () => {
  expectTypeOf(session).parameter(0).toEqualTypeOf<DeltaTable>()
})
