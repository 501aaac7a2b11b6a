/**
 * Reads a call from the text of a program: one chain of method calls on `orders`, with literals as arguments.
 *
 * Nothing is run: the text is read like data, so that a link or a paste can do no harm.
 */
import type { Call, Clause, RowInput, Value } from './call.ts'

/** What a literal can be. Objects keep the order of their names. */
type Literal = Value | readonly Literal[] | Members | { readonly ref: string }
class Members {
  readonly pairs: readonly (readonly [string, Literal])[]
  constructor(pairs: readonly (readonly [string, Literal])[]) {
    this.pairs = pairs
  }
  get(name: string): Literal | undefined {
    return this.pairs.find(([key]) => key === name)?.[1]
  }
}

interface MethodCall {
  readonly name: string
  readonly args: readonly Literal[]
}

/** Why a text is no call, and where. */
export class CallTextError extends Error {
  readonly offset: number
  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

/** @throws CallTextError */
export function readTypeScript(text: string): Call {
  return new Reader(text).read()
}

type Token = {
  readonly kind: 'word' | 'text' | 'number' | 'mark' | 'end'
  readonly text: string
  readonly start: number
}

const TOKEN =
  /\s+|\/\/[^\n]*|([A-Za-z_$][\w$]*)|(-?\d+(?:\.\d+)?)|'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\$]|\\.)*)`|([[\]{}().,:;=])/y

function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  TOKEN.lastIndex = 0
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    const match = TOKEN.exec(text)
    if (match === null) throw new CallTextError(`${JSON.stringify(text[at])} is not expected here`, at)
    const [, word, number, single, double, template, mark] = match
    const quoted = single ?? double ?? template
    if (word !== undefined) tokens.push({ kind: 'word', text: word, start: at })
    else if (number !== undefined) tokens.push({ kind: 'number', text: number, start: at })
    else if (quoted !== undefined) tokens.push({ kind: 'text', text: unescaped(quoted), start: at })
    else if (mark !== undefined) tokens.push({ kind: 'mark', text: mark, start: at })
  }
  tokens.push({ kind: 'end', text: 'the end', start: text.length })
  return tokens
}

function unescaped(text: string): string {
  const named: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }
  return text.replace(/\\(.)/gs, (_, char: string) => named[char] ?? char)
}

class Reader {
  private readonly tokens: readonly Token[]
  private at = 0
  private readonly constants = new Map<string, Literal>()

  constructor(text: string) {
    this.tokens = tokenize(text)
  }

  read(): Call {
    while (this.peek('const')) this.constant()
    const start = this.token.start
    if (this.peek('await')) this.at++
    const root = this.word('orders')
    const chain: MethodCall[] = []
    while (this.peek('.')) chain.push(this.method())
    if (this.peek(';')) this.at++
    if (this.token.kind !== 'end') throw this.expected('the end of the call')
    if (root !== 'orders' && !(root === 'lake' && chain[0]?.name === 'sql')) {
      throw new CallTextError(`the table is called orders, not ${root}`, start)
    }
    return callOf(chain, start)
  }

  private get token(): Token {
    return this.tokens[this.at]!
  }

  private peek(text: string): boolean {
    return this.token.text === text && this.token.kind !== 'text'
  }

  private expected(what: string): CallTextError {
    return new CallTextError(`${what} is expected before ${JSON.stringify(this.token.text)}`, this.token.start)
  }

  private word(what: string): string {
    if (this.token.kind !== 'word') throw this.expected(what)
    return this.tokens[this.at++]!.text
  }

  private mark(text: string): void {
    if (!this.peek(text)) throw this.expected(`'${text}'`)
    this.at++
  }

  private constant(): void {
    this.at++
    const name = this.word('a name')
    this.mark('=')
    this.constants.set(name, this.literal())
    if (this.peek(';')) this.at++
  }

  private method(): MethodCall {
    this.mark('.')
    const name = this.word('the name of a method')
    this.mark('(')
    const args = this.list(')', () => this.literal())
    return { name, args }
  }

  private list<T>(end: string, item: () => T): T[] {
    const items: T[] = []
    while (!this.peek(end)) {
      items.push(item())
      if (!this.peek(',')) break
      this.at++
    }
    this.mark(end)
    return items
  }

  private literal(): Literal {
    const token = this.token
    if (token.kind === 'text') return this.tokens[this.at++]!.text
    if (token.kind === 'number') return Number(this.tokens[this.at++]!.text)
    if (token.kind === 'word') return this.named()
    if (this.peek('[')) {
      this.at++
      return this.list(']', () => this.literal())
    }
    this.mark('{')
    return new Members(this.list('}', () => this.member()))
  }

  private named(): Literal {
    const { text, start } = this.tokens[this.at++]!
    if (text === 'true' || text === 'false') return text === 'true'
    if (text === 'null') return null
    const constant = this.constants.get(text)
    if (constant === undefined) throw new CallTextError(`${text} is not defined; write its value`, start)
    return constant
  }

  private member(): readonly [string, Literal] {
    const { kind, text } = this.token
    if (kind !== 'word' && kind !== 'text') throw this.expected('a name')
    this.at++
    this.mark(':')
    return [text, this.literal()]
  }
}

function callOf(chain: readonly MethodCall[], offset: number): Call {
  const refuse = (message: string) => new CallTextError(message, offset)
  const [first, ...rest] = chain[0]?.name === 'as' || chain[0]?.name === 'alias' ? chain.slice(1) : chain
  if (first === undefined) throw refuse('a method is to be called: orders.append(…), orders.delete(…), …')
  const [one, two] = first.args
  const options = two instanceof Members ? two : new Members([])
  switch (first.name) {
    case 'append':
      return { op: 'append', rows: rowsOf(one, refuse), mergeSchema: options.get('mergeSchema') === true }
    case 'overwrite':
      return {
        op: 'overwrite',
        rows: rowsOf(one, refuse),
        overwriteSchema: options.get('overwriteSchema') === true,
        replaceWhere: textOf(options.get('replaceWhere') ?? '', 'replaceWhere', refuse),
      }
    case 'update':
    case 'updateExpr': {
      const change = one instanceof Members ? one : new Members([])
      return {
        op: 'update',
        set: pairsOf(change.get('set'), refuse),
        where: textOf(change.get('where') ?? '', 'where', refuse),
      }
    }
    case 'delete':
      return { op: 'delete', where: textOf(one ?? '', 'the condition', refuse) }
    case 'merge':
      return mergeOf(first.args, rest, refuse)
    default:
      return upkeepOf(first, rest, refuse)
  }
}

type Refuse = (message: string) => CallTextError

function upkeepOf({ name, args }: MethodCall, rest: readonly MethodCall[], refuse: Refuse): Call {
  const [one, two] = args
  switch (name) {
    case 'restoreToVersion':
      if (typeof one !== 'number') throw refuse('restoreToVersion takes the number of a version')
      return { op: 'restore', version: one }
    case 'optimize':
      return {
        op: 'optimize',
        where: textOf(rest.find((call) => call.name === 'where')?.args[0] ?? '', 'where', refuse),
        zorderBy: (rest.find((call) => call.name === 'executeZOrderBy')?.args ?? []).map(String),
      }
    case 'vacuum': {
      const hours = one instanceof Members ? one.get('retentionHours') : one
      return {
        op: 'vacuum',
        hours: typeof hours === 'number' ? hours : 168,
        dryRun: one instanceof Members && one.get('dryRun') === true,
      }
    }
    case 'setProperties': {
      const [pair] = pairsOf(one, refuse)
      if (pair === undefined) throw refuse('setProperties takes an object with a property')
      return { op: 'setProperty', key: pair[0], value: pair[1] }
    }
    case 'dropFeatureSupport': {
      const truncateHistory = two instanceof Members && two.get('truncateHistory') === true
      return { op: 'dropFeature', feature: textOf(one ?? '', 'the feature', refuse), truncateHistory }
    }
    case 'checkpoint':
      return { op: 'checkpoint' }
    case 'sql':
      return { op: 'sql', text: textOf(one ?? '', 'the statement', refuse) }
    default:
      throw refuse(`${name} is no call of the playground`)
  }
}

function mergeOf(args: readonly Literal[], rest: readonly MethodCall[], refuse: Refuse): Call {
  if (rest.at(-1)?.name !== 'execute') throw refuse('nothing happens before execute(): end the chain with it')
  return {
    op: 'merge',
    source: rowsOf(args[0], refuse),
    on: textOf(args[1] ?? '', 'the condition', refuse),
    clauses: rest.filter(({ name }) => name.startsWith('when')).map((call) => clauseOf(call, refuse)),
    schemaEvolution: rest.some(({ name }) => name === 'withSchemaEvolution'),
  }
}

function clauseOf({ name, args }: MethodCall, refuse: Refuse): Clause {
  const match = /^when(Matched|NotMatchedBySource|NotMatched)(Update|Insert|Delete)(All)?$/.exec(name)
  if (match === null) throw refuse(`${name} is no clause of a merge`)
  const [, side = '', verb = '', all] = match
  const when = (side[0]!.toLowerCase() + side.slice(1)) as Clause['when']
  const action = verb.toLowerCase() as Clause['action']
  const [one] = args
  if (action === 'delete' || all !== undefined) {
    return { when, action, set: all === undefined ? [] : '*', condition: textOf(one ?? '', 'the condition', refuse) }
  }
  if (!(one instanceof Members)) throw refuse(`${name} takes an object`)
  const set = pairsOf(one.get(action === 'insert' ? 'values' : 'set'), refuse)
  return { when, action, set, condition: textOf(one.get('condition') ?? '', 'the condition', refuse) }
}

function rowsOf(literal: Literal | undefined, refuse: Refuse): RowInput[] {
  const rows = Array.isArray(literal)
    ? (literal as readonly Literal[])
    : literal instanceof Members
      ? [literal]
      : undefined
  if (rows === undefined) throw refuse('rows are a list of objects: [{ order_id: … }]')
  return rows.map((row) => {
    if (!(row instanceof Members)) throw refuse('a row is an object: { order_id: … }')
    return row.pairs.map(([name, value]): readonly [string, Value] => {
      if (typeof value === 'object' && value !== null) throw refuse(`${name} holds no simple value`)
      return [name, value]
    })
  })
}

function pairsOf(literal: Literal | undefined, refuse: Refuse): (readonly [string, string])[] {
  if (!(literal instanceof Members)) throw refuse('columns and values are an object: { amount: … }')
  return literal.pairs.map(([name, value]) => [name, textOf(value, name, refuse)] as const)
}

function textOf(literal: Literal, what: string, refuse: Refuse): string {
  if (typeof literal === 'string') return literal
  if (typeof literal === 'number' || typeof literal === 'boolean') return String(literal)
  throw refuse(`${what} is a text of SQL`)
}
