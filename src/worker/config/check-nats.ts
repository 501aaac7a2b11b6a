/** Faults of a NATS source that lie between its settings. */
import { type Fault, type Place, printValue, type ValuesOf } from './setting.ts'
import type { sourceSettings } from './source-settings.ts'

export function checkNatsSignIn(source: ValuesOf<typeof sourceSettings.nats>, place: Place, faults: Fault[]): void {
  const signed = source.servers?.find((address) => address.includes('@'))
  if (signed !== undefined) {
    // what is before the sign is a secret
    const value = printValue(signed.replace(/[^/]*@/, '…@'))
    faults.push(place.fault('WORKER_CONFIG_VALUE', 'servers', { value, allowed: 'addresses without a user' }))
  }
  const pair = ['user', 'password'] as const
  for (const [name, other] of [pair, [pair[1], pair[0]]] as const) {
    if (source[name] !== undefined && source[other] === undefined) {
      faults.push(place.fault('WORKER_CONFIG_NEEDS', name, { name, other }))
    }
  }
  const [one, another] = (['user', 'token', 'credentials'] as const).filter((name) => source[name] !== undefined)
  if (another !== undefined) faults.push(place.fault('WORKER_CONFIG_BESIDE', another, { name: another, other: one }))
}
