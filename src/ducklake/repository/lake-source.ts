/** A DuckLake catalog as what is published: all of it, with its history. */

import { deltaError } from '../../errors/index.ts'
import { Lake, type OpenLakeOptions } from '../lake.ts'
import { isContainer } from '../scan/puffin.ts'
import { Draft } from '../write/draft.ts'
import { placeFiles } from './place-files.ts'
import type { BuiltCatalog, PublishSource, SourceFile } from './source.ts'

/** @throws DeltaError the codes of `Lake.open`; `DUCKLAKE_ENCRYPTED`, `DUCKLAKE_PATH_ESCAPES` */
export function lakeSource(options: OpenLakeOptions): PublishSource {
  return async (): Promise<BuiltCatalog> => {
    const lake = await Lake.open(options)
    try {
      if (lake.metadata.get('encrypted') === 'true') {
        throw deltaError('DUCKLAKE_ENCRYPTED', { catalog: lake.catalog.file.shown })
      }
      const draft = await Draft.copyOf(lake.catalog)
      const files = await placeFiles(draft, lake.access)
      const close = async () => {
        await draft.close()
        await lake.close()
      }
      return { draft, files, isContainer: (id) => isContainerFile(draft, files, id), tables: undefined, close }
    } catch (error) {
      await lake.close()
      throw error
    }
  }
}

/** Looks into a Puffin file, where it lies. */
export async function isContainerFile(draft: Draft, files: readonly SourceFile[], id: number): Promise<boolean> {
  const [row] = await draft.query(`SELECT path FROM ${draft.view('delete_file')} WHERE delete_file_id = ${id}`)
  const file = files.find(({ target }) => target.endsWith(`/${row?.[0]}`))
  if (file?.content !== undefined) return isContainer(file.content)
  return file?.from !== undefined && isContainer(await file.from.store.getRange(file.from.key, { start: 0, end: 4 }))
}
