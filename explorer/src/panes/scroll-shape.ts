/** How far a list is scrolled in lines, where it is longer than a box can be high. */

/** Browsers draw no box higher than some 30 million pixels; beyond this the list is scaled. */
const MAX_HEIGHT = 8_000_000

export interface ScrollShape {
  /** height of the box that is scrolled, pixels */
  readonly space: number
  /** pixels of the whole list that one pixel of scrolling passes; the ends of both meet */
  readonly ratio: number
}

/**
 * @param full height of all lines, pixels
 * @param height of the part in view, pixels
 */
export function scrollShape(full: number, height: number): ScrollShape {
  const space = Math.min(full, MAX_HEIGHT)
  return { space, ratio: space > height ? (full - height) / (space - height) : 1 }
}
