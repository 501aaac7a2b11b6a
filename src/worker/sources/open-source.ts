/** The source of a configuration entry. */
import type { SourceConfig } from '../config/config.ts'
import { fileSource, folderSource } from './file.ts'
import { generatorSource } from './generator.ts'
import { type HttpSource, httpSource } from './http.ts'
import type { Source } from './source.ts'
import { stdinSource } from './stdin.ts'

export function openSource(config: SourceConfig, input: AsyncIterable<Uint8Array>): Source | HttpSource {
  switch (config.type) {
    case 'file':
      return fileSource(config)
    case 'folder':
      return folderSource(config)
    case 'stdin':
      return stdinSource(config, input)
    case 'http':
      return httpSource(config)
    case 'generator':
      return generatorSource(config)
  }
}

export function isHttpSource(source: Source): source is HttpSource {
  return 'receive' in source
}
