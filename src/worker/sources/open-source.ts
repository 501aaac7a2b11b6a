/** The source of a configuration entry. */

import type { SourceConfig, WireSourceConfig } from '../config/config.ts'
import { translated, wireFormat } from '../records/line-formats/translate.ts'
import type { CredentialLookup } from '../secrets.ts'
import { fileSource, folderSource } from './file.ts'
import { generatorSource } from './generator.ts'
import { httpSource } from './http.ts'
import { kafkaSource } from './kafka/kafka.ts'
import { natsSource } from './nats/nats.ts'
import { otlpSource } from './otlp/otlp.ts'
import type { HttpSource } from './posted-source.ts'
import { rotatedFileSource } from './rotated-file.ts'
import { s3Source } from './s3.ts'
import type { Source } from './source.ts'
import { stdinSource } from './stdin.ts'
import { syslogSource } from './syslog.ts'

export interface SourceSurroundings {
  /** standard input */
  readonly input: AsyncIterable<Uint8Array>
  /** finds the credentials that the settings name */
  readonly lookup: CredentialLookup
}

export function openSource(config: SourceConfig, surroundings: SourceSurroundings): Source | HttpSource {
  const { format, record } = config
  return translated(
    sourceOf({ ...config, format: wireFormat(format) } as WireSourceConfig, format, surroundings),
    format,
    record,
  )
}

/** What splits into records as its wire form does. */
function sourceOf(
  config: WireSourceConfig,
  format: string,
  { input, lookup }: SourceSurroundings,
): Source | HttpSource {
  switch (config.type) {
    case 'file':
      return config.rotate ? rotatedFileSource(config) : fileSource(config)
    case 'folder':
      return folderSource(config)
    case 's3':
      return s3Source(config, lookup)
    case 'stdin':
      return stdinSource(config, input)
    case 'http':
      return httpSource(config)
    case 'otlp':
      return otlpSource(config)
    case 'syslog':
      return syslogSource(config)
    case 'kafka':
      return kafkaSource(config, { lookup, isJson: format === 'ndjson' })
    case 'nats':
      return natsSource(config, { lookup, isJson: format === 'ndjson' })
    case 'generator':
      return generatorSource(config)
  }
}

export function isHttpSource(source: Source): source is HttpSource {
  return 'receive' in source
}
