/** Errors of the object stores. A port wraps what it throws once, with the operation and the key. */
import type { ErrorSpec } from './spec.ts'

export const storageErrors = {
  LAKE_OBJECT_NOT_FOUND: { message: 'there is no object at {key}', sqlState: '42K03', kind: 'storage' },
  LAKE_STORAGE_ACCESS_DENIED: {
    message: '{operation} of {key} was denied: {cause}',
    remedy: 'check the permissions of whatever signs for this store',
    sqlState: '42501',
    kind: 'storage',
  },
  LAKE_STORAGE_UNAVAILABLE: {
    message: '{operation} of {key} failed: {cause}',
    remedy: 'try again once the store answers',
    sqlState: '08006',
    retryable: true,
    kind: 'storage',
  },
  LAKE_STORAGE_FULL: {
    message: '{operation} of {key} failed, there is no space left: {cause}',
    remedy: 'free some space and run it again',
    sqlState: '53100',
    kind: 'storage',
  },
  LAKE_STORAGE_READ_ONLY: {
    message: '{operation} of {key} failed, the store is read-only: {cause}',
    remedy: 'use a store that can be written to',
    sqlState: '25006',
    kind: 'storage',
  },
  LAKE_STORAGE_UNSUPPORTED: {
    message: 'the {store} store has no {operation}',
    sqlState: '0A000',
    kind: 'storage',
  },
  LAKE_INVALID_LOCATION: {
    message: 'the location {location} is not one this package can open: {reason}',
    remedy: 'give a folder, or a file://, http(s)://, s3:// or az:// address',
    sqlState: '42602',
    kind: 'usage',
  },
  LAKE_INVALID_KEY: {
    message: 'the key {key} cannot be an object below {location}: {reason}',
    remedy: 'a key is a relative path whose segments are neither empty nor . nor ..',
    sqlState: '42602',
    kind: 'storage',
  },
  LAKE_PACKAGE_MISSING: {
    message: '{what} need the package {name}, which is not installed or needs a newer Node',
    remedy: 'npm install {name}, under Node 22 or newer',
    sqlState: '0A000',
    kind: 'unsupported',
  },
} as const satisfies Record<string, ErrorSpec>
