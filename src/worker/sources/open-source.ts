/** The source of a configuration entry. */

import type { SourceConfig, WireSourceConfig } from '../config/config.ts'
import { translated, wireFormat } from '../records/line-formats/translate.ts'
import { fileSource, folderSource } from './file.ts'
import { generatorSource } from './generator.ts'
import { type HttpSource, httpSource } from './http.ts'
import type { Source } from './source.ts'
import { stdinSource } from './stdin.ts'
import { syslogSource } from './syslog.ts'

export function openSource(config: SourceConfig, input: AsyncIterable<Uint8Array>): Source | HttpSource {
  const { format, record } = config
  return translated(sourceOf({ ...config, format: wireFormat(format) } as WireSourceConfig, input), format, record)
}

/** What splits into records as its wire form does. */
function sourceOf(config: WireSourceConfig, input: AsyncIterable<Uint8Array>): Source | HttpSource {
  switch (config.type) {
    case 'file':
      return fileSource(config)
    case 'folder':
      return folderSource(config)
    case 'stdin':
      return stdinSource(config, input)
    case 'http':
      return httpSource(config)
    case 'syslog':
      return syslogSource(config)
    case 'generator':
      return generatorSource(config)
  }
}

export function isHttpSource(source: Source): source is HttpSource {
  return 'receive' in source
}
