/** What callers of the log may set, and the oddities they are told. */

export interface LoadOptions {
  readonly signal?: AbortSignal
  /** told once for each oddity of the log that does not change the answer */
  readonly onWarning?: (text: string) => void
}

/** Oddities of one log, each kept once. */
export class WarningList {
  readonly texts: string[] = []
  private readonly onWarning: ((text: string) => void) | undefined

  constructor(onWarning?: (text: string) => void) {
    this.onWarning = onWarning
  }

  add(text: string): void {
    if (this.texts.includes(text)) return
    this.texts.push(text)
    this.onWarning?.(text)
  }
}
