/** The destination of a configuration entry. */
import type { DestinationConfig } from '../config/config.ts'
import { DeltaDestination, type DeltaDestinationOptions } from './delta/delta-destination.ts'
import type { Destination } from './destination.ts'
import { StdoutDestination } from './stdout.ts'

export interface OpenDestinationOptions extends Omit<DeltaDestinationOptions, 'config'> {
  readonly print: (text: string) => Promise<void>
}

export function openDestination(config: DestinationConfig, options: OpenDestinationOptions): Destination {
  return config.type === 'delta'
    ? new DeltaDestination({ ...options, config })
    : new StdoutDestination({ config, meter: options.meter, print: options.print })
}
