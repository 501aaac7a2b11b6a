import { expect, test } from 'vitest'
import { checkWorkerConfig } from './config.ts'

function faultsOf(more: object): string[] {
  const source = { id: 's', type: 'nats', schema: 'id INT', servers: ['n-1:4222'], stream: 'S', durable: 'd', ...more }
  return checkWorkerConfig({ sources: [source] }).faults.map(({ details, message }) => `${details.key}: ${message}`)
}

test.each<[object, readonly string[]]>([
  [{ servers: ['nats://n-1:4222', 'tls://[::1]:4222'], user: 'U', password: 'P' }, []],
  [{ token: 'T', tls: true }, []],
  [{ user: 'U' }, ['user: names user without password']],
  [{ password: 'P' }, ['password: names password without user']],
  [{ token: 'T', credentials: 'C' }, ['credentials: names credentials beside token']],
  [{ user: 'U', password: 'P', token: 'T' }, ['token: names token beside user']],
  [{ servers: undefined }, ['servers: names no servers']],
  [{ stream: 'a.b' }, ['stream: stream is "a.b"; it is a name without spaces, dots, slashes and wildcards']],
  [{ durable: '*' }, ['durable: durable is "*"; it is a name without spaces, dots, slashes and wildcards']],
  [{ maxWaitMs: 999 }, ['maxWaitMs: maxWaitMs is 999; it is 1000 to 60000']],
  [{ standbySecs: 4 }, ['standbySecs: standbySecs is 4; it is 5 to 3600']],
  [{ format: 'csv' }, ['format: format is "csv"; it is ndjson, access-log, logfmt or syslog']],
])('%j', (more, expected) => {
  expect(faultsOf(more)).toEqual(expected.map((fault) => `sources[0].${fault}`))
})

test('a password in an address is refused, and not printed', () => {
  expect(faultsOf({ servers: ['nats://me:secret@n-1:4222'] })).toEqual([
    'sources[0].servers: servers is "nats://…@n-1:4222"; it is addresses without a user',
  ])
})
