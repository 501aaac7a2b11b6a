/** Columns that keep their names in files when they are renamed. Source: Delta protocol, "Column Mapping". */
import { property } from '../properties/index.ts'
import type { TableFeature } from './table-feature.ts'

export const columnMapping: TableFeature = {
  name: 'columnMapping',
  kind: 'reader-writer',
  legacy: { reader: 2, writer: 5 },
  needs: [],
  isActive: ({ metadata }) => property(metadata.configuration, 'columnMapping.mode') !== 'none',
  readable: true,
  writable: 'yes',
  addedByProperty: true,
}
