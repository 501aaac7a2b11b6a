/** What the process that serves the page shows, and how it is asked. A page of a static host is served nothing. */
import type { Failure } from './messages.ts'

export type Shown = 'tables' | 'repository' | 'worker'

/** @returns none where the page is served by something else */
export function servedThings(): readonly Shown[] {
  const words = contentOf('bayou-shows')?.split(' ') ?? []
  return (['tables', 'repository', 'worker'] as const).filter((word) => words.includes(word))
}

export class ServedFailure extends Error {
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}

/** @throws ServedFailure with what the process says went wrong */
export async function askServed<T extends object>(path: string, init?: RequestInit): Promise<T> {
  let answer: Response
  try {
    answer = await fetch(path, init)
  } catch {
    const remedy = 'start bayou explore again, and load the page it names'
    throw new ServedFailure({ code: 'PAGE', message: 'the process that serves this page does not answer', remedy })
  }
  if (!answer.ok) throw new Error(`the server answered ${answer.status} for ${path}`)
  const body: T | { readonly failure: Failure } = await answer.json()
  if ('failure' in body) throw new ServedFailure(body.failure)
  return body
}

/** Runs a statement there; only the served page knows the token that this takes. */
export async function runServed<T extends object>(sql: string): Promise<T> {
  return await askServed<T>('api/sql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-bayou-token': contentOf('bayou-served') ?? '' },
    body: JSON.stringify({ sql }),
  })
}

function contentOf(name: string): string | undefined {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content
}
