/** The how-to of the Delta destination: its configurations are good ones, its policy is the one the tests enforce. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { messagesPage, sentenceOf } from '../../scripts/docs.mjs'
import { catalogue } from '../../src/errors/index.ts'
import {
  checkWorkerConfig,
  configurationMessages,
  runningMessages,
  tableMessages,
  unityMessages,
} from '../../src/worker/index.ts'
import { repositoryRoot, sharedMissing, sharedPath } from '../support/shared.ts'
import { scopedPolicy } from '../worker/s3-ground.ts'

const read = (file: string) => readFileSync(join(repositoryRoot, 'docs', file), 'utf8')
const page = read('delta-destination.md')
const blocks = (kind: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`json ${kind}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text]) => JSON.parse(text!))
const messages = [...configurationMessages, ...unityMessages, ...tableMessages, ...runningMessages]

test('its destinations are taken as they stand', () => {
  const destinations = blocks('destination')
  expect(destinations).toHaveLength(4)
  for (const destination of destinations) {
    const { faults } = checkWorkerConfig({
      sources: [{ id: 's', type: 'stdin', schema: 'host STRING, at TIMESTAMP' }],
      routes: [{ source: 's', destination: destination.id }],
      destinations: [destination],
    })
    expect(faults).toEqual([])
  }
})

test('its policy is the one that the tests enforce, and the one promised', () => {
  const [policy] = blocks('policy')
  expect(policy.Statement).toEqual(scopedPolicy.Statement)
})

const missing = sharedMissing('seeds')
if (missing !== undefined) console.log(`skipped: ${missing}`)
const seed = missing === undefined ? readFileSync(sharedPath('seeds', '000-delta-destination.txt'), 'utf8') : ''

test.skipIf(missing !== undefined)('the policy is that of the page', () => {
  const text = seed.slice(seed.indexOf('{\n  "Version"'), seed.indexOf('With roleArn'))
  expect(blocks('policy')[0]).toEqual(JSON.parse(text))
})

describe('messages', () => {
  test('docs/delta-destination-messages.md is what the code gives (node scripts/docs.mjs writes it)', () => {
    expect(read('delta-destination-messages.md')).toBe(messagesPage())
  })

  test('every error of tables, stores and catalogs is on the page', () => {
    const own = Object.keys(catalogue).filter((code) => /^WORKER_(TABLE|UNITY|STORE|COMMIT_LOST|ACCESS)/.test(code))
    expect(own.filter((code) => !messages.some((message) => message.code === code))).toEqual([])
    expect(new Set(messages.map(({ code }) => code)).size).toBe(messages.length)
  })

  test.skipIf(missing !== undefined)('every sentence of the page’s troubleshooting is one of them', () => {
    const [, troubles = ''] = seed.split('\nTroubleshooting\n')
    const isSentence = (line: string) => /^([a-z…]|Access|Unity)/.test(line)
    const promised = (troubles.split('\nSee also')[0] ?? '')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && isSentence(line) && !line.endsWith('.'))
    expect(promised.length).toBe(22)
    const shown = messagesPage()
    const isShown = (sentence: string) =>
      sentence.endsWith(' …') ? shown.includes(`**${sentence.slice(0, -2)}`) : shown.includes(`**${sentence}`)
    expect(promised.filter((sentence) => !isShown(sentence))).toEqual([])
  })

  test('a blank that is always the same is filled', () => {
    expect(sentenceOf(configurationMessages.find(({ code }) => code === 'WORKER_CREDENTIAL_MISSING')!)).toBe(
      'the delta destination takes its client secret from …, which this worker does not have',
    )
  })
})
