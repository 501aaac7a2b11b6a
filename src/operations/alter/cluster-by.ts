/** ALTER TABLE CLUSTER BY: which columns rows will be laid out by from now on. No file is moved. */
import { deltaError } from '../../errors/index.ts'
import { supportsFeature } from '../../kernel/index.ts'
import { CLUSTERING_DOMAIN, clusteringDomain, clusteringPaths } from '../clustering.ts'
import { dottedName } from '../values/index.ts'
import type { PlanAction } from './plan.ts'

/**
 * @throws DeltaError `DELTA_ALTER_TABLE_CLUSTER_BY_ON_PARTITIONED_TABLE_NOT_ALLOWED`, those of `clusteringDomain`
 */
export const planClusterBy: PlanAction<'cluster by'> = ({ columns }, snapshot) => {
  const { schema, layout, store, partitionColumns, domains, protocol } = snapshot
  if (partitionColumns.length > 0) {
    const details = { path: store.location, columns: partitionColumns }
    throw deltaError('DELTA_ALTER_TABLE_CLUSTER_BY_ON_PARTITIONED_TABLE_NOT_ALLOWED', details)
  }
  if (columns.length === 0 && !domains.has(CLUSTERING_DOMAIN)) return undefined
  const domain = clusteringDomain(columns, schema, layout.columnMapping)
  const after = clusteringPaths({ domains: new Map([[CLUSTERING_DOMAIN, domain]]), layout })
  const names = (paths: readonly (readonly string[])[]) => paths.map(dottedName).join(',')
  return {
    operation: 'CLUSTER BY',
    operationParameters: {
      oldClusteringColumns: names(clusteringPaths(snapshot)),
      newClusteringColumns: names(after),
    },
    domains: [domain],
    ...(!supportsFeature(protocol, 'clustering') && { features: ['clustering'] }),
  }
}
