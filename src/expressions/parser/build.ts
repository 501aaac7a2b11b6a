/** Nodes made by the parser, and the depth of each, so that no tree is deeper than what the walkers below can walk. */
import { deltaError } from '../../errors/index.ts'
import { booleanType, type DataType, integerType, stringType, type Value, voidType } from '../../schema/index.ts'
import type { Expression, ExpressionType, Span } from '../expression.ts'
import type { ForeignForm } from '../unsupported.ts'

export const MAX_DEPTH = 600

export class NodeBuilder {
  private readonly depths = new WeakMap<Expression, number>()

  literal(value: Value, type: ExpressionType, span: Span): Expression {
    return this.checked({ kind: 'literal', value, type, span }, [])
  }
  text(value: string, span: Span): Expression {
    return this.literal(value, stringType, span)
  }
  integer(value: number, span: Span): Expression {
    return this.literal(value, integerType, span)
  }
  boolean(value: boolean, span: Span): Expression {
    return this.literal(value, booleanType, span)
  }
  nothing(span: Span): Expression {
    return this.literal(null, voidType, span)
  }
  column(path: readonly string[], span: Span): Expression {
    return this.checked({ kind: 'column', path, span }, [])
  }
  call(name: string, args: readonly Expression[], span: Span): Expression {
    return this.checked({ kind: 'call', name, args, span }, args)
  }
  not(operand: Expression, span: Span = operand.span): Expression {
    return this.call('not', [operand], span)
  }
  cast(child: Expression, type: DataType | ExpressionType, safe: boolean, span: Span): Expression {
    return this.checked({ kind: 'cast', child, type, safe, span }, [child])
  }
  lambda(params: readonly string[], body: Expression, span: Span): Expression {
    return this.checked({ kind: 'lambda', params, body, span }, [body])
  }
  cases(
    branches: readonly { readonly when: Expression; readonly then: Expression }[],
    otherwise: Expression | undefined,
    span: Span,
  ): Expression {
    const children = branches.flatMap(({ when, then }) => [when, then])
    return this.checked(
      { kind: 'case', branches, otherwise, span },
      otherwise === undefined ? children : [...children, otherwise],
    )
  }

  parameter(name: string | number, span: Span): Expression {
    return this.checked({ kind: 'parameter', name, span }, [])
  }
  foreign(form: ForeignForm & { readonly text: string }, span: Span): Expression {
    return this.checked({ kind: 'foreign', ...form, span }, [])
  }

  /**
   * A chain of AND or OR. Short ones lean to the left as written; long ones are halved, which means the same and keeps
   * the tree shallow.
   */
  chain(name: 'and' | 'or', operands: readonly Expression[]): Expression {
    if (operands.length === 1) return operands[0]!
    const cut = operands.length <= 16 ? operands.length - 1 : operands.length >> 1
    const left = this.chain(name, operands.slice(0, cut))
    const right = this.chain(name, operands.slice(cut))
    return this.call(name, [left, right], { start: left.span.start, end: right.span.end })
  }

  private checked(node: Expression, children: readonly Expression[]): Expression {
    let depth = 0
    for (const child of children) depth = Math.max(depth, this.depths.get(child) ?? 0)
    if (depth >= MAX_DEPTH) throw deltaError('FAILED_TO_PARSE_TOO_COMPLEX', { limit: MAX_DEPTH })
    this.depths.set(node, depth + 1)
    return node
  }
}
