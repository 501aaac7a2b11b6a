/** The instructions of a container file. Source: "Dockerfile reference", Format. */
export interface ContainerStep {
  /** the instruction, as `COPY` */
  readonly name: string
  /** all that follows it */
  readonly text: string
  readonly words: readonly string[]
}

export function containerSteps(file: string): readonly ContainerStep[] {
  const lines = file
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
  return lines.map((line) => {
    const [, name = '', text = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? []
    return { name, text, words: text.split(/\s+/) }
  })
}
