/** Tables in the care of a catalog, addressed by their path alone. */
import { isDeltaError } from '../../errors/index.ts'
import { unsupported } from './refusals.ts'

/** Names the feature where a table cannot even be read because its catalog is not there. */
export async function namedUnmanaged<T>(feature: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const needsCatalog = isDeltaError(error, 'LAKE_CATALOG_COMMITS_NEEDED')
    if (!needsCatalog || feature !== 'catalogManaged') throw error
    throw unsupported(feature, 'the table has to be opened through its catalog')
  }
}
