export function errorsPage(): string

/** @returns the text of docs/worker-settings.md */
export function settingsPage(): string
