/** `bayou completions`: a script that completes commands, options and files in a shell. */
import { Argument, Command } from 'commander'
import type { CliCommand, CommandEntry } from '../cli-command.ts'
import { addGlobalOptions } from '../globals.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

const EXAMPLES = `
Examples:
  $ source <(bayou completions bash)
  $ bayou completions fish > ~/.config/fish/completions/bayou.fish`

export const completions: CliCommand = {
  define(command: Command) {
    command.addArgument(new Argument('<shell>').choices(SHELLS)).addHelpText('after', EXAMPLES)
  },

  async run([shell], _options, context) {
    await context.output.write(scripts[shell as Shell](await describeCommands(context.commands)))
    return 0
  },
}

interface CommandWords {
  readonly name: string
  readonly summary: string
  readonly options: readonly string[]
}

async function describeCommands(commands: readonly CommandEntry[]): Promise<CommandWords[]> {
  const shared = new Command()
  addGlobalOptions(shared)
  return await Promise.all(
    commands.map(async ({ name, summary, load }) => {
      const command = new Command(name)
      const module = await load()
      module.define(command)
      return { name, summary, options: [...optionNames(command), ...optionNames(shared)] }
    }),
  )
}

function optionNames(command: Command): string[] {
  return command.options.filter((option) => !option.hidden).map((option) => option.long ?? option.short ?? '')
}

const scripts: { readonly [S in Shell]: (commands: readonly CommandWords[]) => string } = {
  bash: (commands) => `_bayou() {
  local current="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')}" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${commands.map(({ name, options }) => `    ${name}) local options="${options.join(' ')}" ;;`).join('\n')}
  esac
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _bayou bayou
`,
  zsh: (commands) => `#compdef bayou
_bayou() {
  if (( CURRENT == 2 )); then
    local -a commands=(
${commands.map(({ name, summary }) => `      ${quote(`${name}:${summary}`)}`).join('\n')}
    )
    _describe command commands
    return
  fi
  local -a options
  case "$words[2]" in
${commands.map(({ name, options }) => `    ${name}) options=(${options.join(' ')}) ;;`).join('\n')}
  esac
  if [[ "$words[CURRENT]" == -* ]]; then
    compadd -- $options
  else
    _files
  fi
}
compdef _bayou bayou
`,
  fish: (commands) => `${commands
    .map(({ name, summary }) => `complete -c bayou -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`)
    .join('\n')}
${commands
  .flatMap(({ name, options }) => {
    return options.map((option) => {
      const flag = option.startsWith('--') ? `-l ${option.slice(2)}` : `-s ${option.slice(1)}`
      return `complete -c bayou -n '__fish_seen_subcommand_from ${name}' ${flag}`
    })
  })
  .join('\n')}
`,
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
