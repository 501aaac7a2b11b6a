/**
 * Objects that are not there, told from those that may not be read.
 *
 * The service answers 403 for a missing object to whoever may not list the whole bucket, and a policy that allows a
 * listing under one prefix does not count. Whether the object is there is then seen in a listing of its key alone.
 * Source: Amazon S3, "GetObject", permissions.
 */
import { deltaError, isDeltaError } from '../../errors/index.ts'
import type { StoreCallOptions } from '../index.ts'
import type { S3Connection } from './s3-connection.ts'
import { listObjects } from './s3-list.ts'
import { printLocation, type S3Location } from './s3-location.ts'

type Reading = <T>(key: string, options: StoreCallOptions | undefined, work: () => Promise<T>) => Promise<T>

/** Runs a read; a denied one of a key that a listing does not show is rejected with `LAKE_OBJECT_NOT_FOUND`. */
export function tellingMissing(connection: S3Connection, root: S3Location): Reading {
  const isListed = async (key: string, options: StoreCallOptions): Promise<boolean> => {
    for await (const page of listObjects(connection, root, { ...options, prefix: key })) {
      return page.some((object) => object.key === key)
    }
    return false
  }
  return async (key, options = {}, work) => {
    try {
      return await work()
    } catch (error) {
      if (!isDeltaError(error, 'LAKE_STORAGE_ACCESS_DENIED') || error.details.status !== 403) throw error
      const isThere = await isListed(key, options).catch((failure: unknown) => {
        // who may not list either cannot know, and is told what the service said
        if (isDeltaError(failure, 'LAKE_STORAGE_ACCESS_DENIED')) return true
        throw failure
      })
      if (isThere) throw error
      throw deltaError('LAKE_OBJECT_NOT_FOUND', { operation: 'get', key, location: printLocation(root) })
    }
  }
}
