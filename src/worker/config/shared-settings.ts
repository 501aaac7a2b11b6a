/** Settings that sources and destinations have alike. */
import { integer, optionalFlag, optionalText, type Settings, text } from './setting.ts'

export const idSetting = text({ description: 'what it is called; unique among its kind', example: 'clicks' })

export const requestTimeoutSecs = integer({
  description: 'how long one storage request may take, seconds',
  example: 60,
  min: 1,
  max: 600,
  fallback: 60,
})

/** Who speaks to a bucket, and where it is. */
export const bucketSettings = {
  region: optionalText({ description: 'region of the bucket', example: 'us-west-2' }),
  endpoint: optionalText({ description: 'an S3-compatible store', example: 'https://minio.example.com:9000' }),
  accessKeyId: optionalText({ description: 'the variable that holds the access key id', example: 'ACCESS_KEY' }),
  secretAccessKey: optionalText({ description: 'the variable that holds the secret key', example: 'SECRET_KEY' }),
  sessionToken: optionalText({ description: 'the variable that holds the session token', example: 'TOKEN' }),
  forcePathStyle: optionalFlag({ description: 'address the bucket in the path', example: true }),
} satisfies Settings
