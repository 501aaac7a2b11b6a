/** Properties as a command line spells them: `key=value`, one after the other. */
import { InvalidArgumentError } from 'commander'

export function parseProperty(text: string, earlier: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const equals = text.indexOf('=')
  if (equals < 1) throw new InvalidArgumentError('It is KEY=VALUE.')
  return new Map([...earlier, [text.slice(0, equals), text.slice(equals + 1)]])
}
