/**
 * Files and folders that are none of the table's data by their names: those that begin with `_` or `.`.
 *
 * Change files, index files and folders of partitions are data whatever their names are.
 */
import { escapeHive, physicalPartitionColumns, property, type Snapshot } from '../../kernel/index.ts'

/** Folders that look hidden and hold files of the table. */
const DATA_FOLDERS = ['_change_data', '_delta_index']
/** Where other formats keep what they say of the same files. */
const ICEBERG_FOLDER = 'metadata'

/** @returns whether a key, relative to the table's root, lies in what VACUUM leaves alone */
export function hiddenKeys(snapshot: Snapshot): (key: string) => boolean {
  const { configuration, layout, partitionColumns } = snapshot
  const names = [...partitionColumns, ...physicalPartitionColumns(layout)]
  const partitions = [...new Set([...names, ...names.map(escapeHive)])].map((name) => `${name}=`)
  const formats = property(configuration, 'universalFormat.enabledFormats') ?? ''
  const hidesMetadata = formats.toLowerCase().includes('iceberg')
  const isHidden = (segment: string): boolean => {
    if (hidesMetadata && segment === ICEBERG_FOLDER) return true
    if (!segment.startsWith('_') && !segment.startsWith('.')) return false
    if (DATA_FOLDERS.some((folder) => segment.startsWith(folder))) return false
    return !partitions.some((start) => segment.startsWith(start))
  }
  return (key) => key.split('/').some(isHidden)
}
