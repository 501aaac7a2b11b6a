/**
 * When raw bytes make a file of the wanted size.
 *
 * How far they shrink is known only from files written; before the first one a cautious ratio stands in.
 */
const FIRST_RATIO = 0.5
/** Raw bytes collected at most, whatever the ratio says. */
const MAX_RAW = 1024 * 1024 * 1024

export class SizeGuess {
  private readonly target: number
  private ratio = FIRST_RATIO
  private raw = 0

  /** @param target bytes of a file */
  constructor(target: number) {
    this.target = target
  }

  add(rawBytes: number): void {
    this.raw += rawBytes
  }

  get isFull(): boolean {
    return this.raw * this.ratio >= this.target || this.raw >= MAX_RAW
  }

  /** Takes in what the bytes collected so far became, and begins anew. */
  written(bytes: number): void {
    if (this.raw > 0 && bytes > 0) this.ratio = bytes / this.raw
    this.raw = 0
  }
}
