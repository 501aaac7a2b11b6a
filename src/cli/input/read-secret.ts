/** One line that is not shown while it is typed, or all of standard input where nobody types. */
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { deltaError } from '../../errors/index.ts'
import type { Terminal } from '../terminal.ts'

/** @returns the text without the line break behind it */
export async function readSecret({ stdin, stderr }: Terminal, prompt: string): Promise<string> {
  if ('isTTY' in stdin && stdin.isTTY === true) {
    stderr.write(prompt)
    const line = await hiddenLine(stdin)
    stderr.write('\n')
    return line
  }
  const parts: Buffer[] = []
  for await (const part of stdin) parts.push(Buffer.from(part))
  return Buffer.concat(parts)
    .toString('utf8')
    .replace(/\r?\n$/, '')
}

function hiddenLine(input: NodeJS.ReadableStream): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input, output: nowhere, terminal: true })
  return new Promise((resolve, reject) => {
    lines.once('line', resolve)
    lines.once('SIGINT', () => reject(deltaError('LAKE_CANCELLED', { what: 'the prompt' })))
    lines.once('close', () => resolve(''))
  }).finally(() => lines.close()) as Promise<string>
}
