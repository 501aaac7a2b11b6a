/** `bayou secrets`: the credentials that configurations of workers name, kept in a file only its owner reads. */
import type { Command } from 'commander'
import { deltaError } from '../../errors/index.ts'
import { listSecrets, removeSecret, secretsFile, setSecret } from '../../worker/index.ts'
import type { CliCommand, CliContext } from '../cli-command.ts'
import { readSecret } from '../input/read-secret.ts'

const EXAMPLES = `
Examples:
  $ bayou secrets set MINIO_SECRET_KEY
  $ pass show databricks | bayou secrets set DATABRICKS_CLIENT_SECRET
  $ bayou secrets list
  $ bayou secrets rm MINIO_SECRET_KEY

A variable of the same name comes before a stored secret. The file is $BAYOU_SECRETS_FILE, else
bayou/secrets.json in $XDG_CONFIG_HOME or ~/.config.`

const VERBS = ['set', 'list', 'rm'] as const

export const secrets: CliCommand = {
  define(command: Command) {
    command.argument('<verb>', 'set, list or rm')
    command.argument('[name]', 'the name configurations call it by')
    command.addHelpText('after', EXAMPLES)
  },

  async run([verb, name], _options, context) {
    const file = secretsFile(context.terminal.env)
    const { json } = context.globals
    switch (verb) {
      case 'list':
        for (const found of listSecrets(file)) await context.output.line(json ? JSON.stringify({ name: found }) : found)
        return 0
      case 'set':
        setSecret(file, required(name), await readValue(context, required(name)))
        context.note(`${required(name)} is stored in ${file}`)
        return 0
      case 'rm':
        removeSecret(file, required(name))
        context.note(`${required(name)} is gone from ${file}`)
        return 0
      default: {
        const details = { name: 'the verb', value: JSON.stringify(verb), allowed: VERBS.join(', ') }
        throw deltaError('WORKER_CONFIG_VALUE', details)
      }
    }
  },
}

function required(name: unknown): string {
  if (typeof name === 'string') return name
  throw deltaError('WORKER_CONFIG_MISSING', { name: 'secret', allowed: 'given behind the verb' })
}

async function readValue({ terminal }: CliContext, name: string): Promise<string> {
  const value = await readSecret(terminal, `${name}: `)
  if (value === '') throw deltaError('WORKER_SECRET_EMPTY', { name })
  return value
}
