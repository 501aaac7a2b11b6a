export interface Layer {
  readonly uses: readonly string[]
  readonly node?: boolean
  readonly excludes?: readonly string[]
}
export const layers: Readonly<Record<string, Layer>>
export const entries: Readonly<Record<string, Layer>>
export function projectFiles(): ReadonlyMap<string, string>
