/**
 * Liquid clustering: rows of a table are kept sorted along a Hilbert curve through its clustering columns.
 *
 * Files sorted together carry the id of their cube. A later run sorts what is in no cube yet together with the cubes that
 * are not full, and leaves full ones alone; `full` sorts everything again. Files that lie in cubes of other columns, or
 * that another way of clustering laid out, are left as they are unless it is `full`. Source: Delta protocol, "Clustered
 * Table"; the tags are those the reference writes.
 */
import type { RowCurve } from '../../engine/index.ts'
import type { AddFile } from '../../kernel/index.ts'
import { dottedName } from '../values/index.ts'
import type { Bin } from './bins.ts'
import { bytesOf, type ClusteringFilesSum, type ClusteringStats } from './optimize-metrics.ts'
import type { LayoutStrategy } from './strategy.ts'

const PROVIDER = 'liquid'
const CUBE_ID = 'ZCUBE_ID'
const CUBE_COLUMNS = 'ZCUBE_ZORDER_BY'
const GIB = 1024 ** 3
/** A cube of this size is full. */
const FULL_CUBE_BYTES = 100 * GIB
/** Bytes sorted together at most, about. */
const MAX_CUBE_BYTES = 150 * GIB

export interface Clustering {
  readonly columns: RowCurve['columns']
  /** paths of the same columns */
  readonly clusterBy: readonly (readonly string[])[]
  readonly full: boolean
}

export function clustering({ columns, clusterBy, full }: Clustering): LayoutStrategy {
  const columnsText = JSON.stringify(clusterBy.map(dottedName))
  const cubeIds = new Map<number, string>()
  return {
    choose: (files) => files,
    prepare: (files) => (full ? files : withoutSorted(files, columnsText)),
    maxBinSize: MAX_CUBE_BYTES,
    takesAlone: () => true,
    curve: { kind: 'hilbert', columns },
    tag: (file, bin) => {
      const cubeId = cubeIds.get(bin) ?? crypto.randomUUID()
      cubeIds.set(bin, cubeId)
      const tags = new Map([
        [CUBE_ID, cubeId],
        [CUBE_COLUMNS, columnsText],
      ])
      return { ...file, tags, clusteringProvider: PROVIDER }
    },
  }
}

/** What a run has to sort: files in no cube, and cubes that are not full; none where all there is is one such cube. */
function withoutSorted(files: readonly AddFile[], columnsText: string): readonly AddFile[] {
  const cubes = new Map<string, AddFile[]>()
  const loose: AddFile[] = []
  for (const file of files) {
    const id = cubeOf(file)
    if (id === undefined) {
      if (file.clusteringProvider === undefined || file.clusteringProvider === PROVIDER) loose.push(file)
    } else if (file.tags?.get(CUBE_COLUMNS) === columnsText) {
      const cube = cubes.get(id)
      if (cube === undefined) cubes.set(id, [file])
      else cube.push(file)
    }
  }
  const open = [...cubes.values()].filter((cube) => bytesOf(cube) < FULL_CUBE_BYTES)
  if (loose.length === 0 && open.length < 2) return []
  return [...open.flat(), ...loose]
}

function cubeOf({ clusteringProvider, tags }: AddFile): string | undefined {
  return clusteringProvider === PROVIDER ? (tags?.get(CUBE_ID) ?? undefined) : undefined
}

/** @param files that were looked at */
export function clusteringStats(files: readonly AddFile[], bins: readonly Bin[]): ClusteringStats {
  const cubed = files.filter((file) => cubeOf(file) !== undefined)
  return {
    inputZCubeFiles: sumOf(cubed),
    inputOtherFiles: sumOf(files.filter((file) => cubeOf(file) === undefined)),
    inputNumZCubes: new Set(cubed.map(cubeOf)).size,
    mergedFiles: sumOf(bins.flatMap((bin) => bin.files)),
    numOutputZCubes: bins.length,
  }
}

function sumOf(files: readonly AddFile[]): ClusteringFilesSum {
  return { numFiles: files.length, size: bytesOf(files) }
}
