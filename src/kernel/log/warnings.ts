/** Oddities of a log that do not change the answer, each told once. */

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
