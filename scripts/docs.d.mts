/** @returns the text of docs/errors.md */
export function errorsPage(): string

/** @returns the text of docs/worker-settings.md */
export function settingsPage(): string

/** @returns the text of docs/delta-destination-messages.md */
export function messagesPage(): string

/** @returns a sentence as users see it, … for each value */
export function sentenceOf(message: {
  readonly code: import('../src/errors/index.ts').ErrorCode
  readonly filled?: Readonly<Record<string, string>>
}): string
