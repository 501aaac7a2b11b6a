/** Choices that hold every pair of values of any two axes at least once: far fewer than all combinations. */

export type Choice<A extends Readonly<Record<string, readonly unknown[]>>> = { readonly [K in keyof A]: A[K][number] }

/** Greedy, the same for the same axes. Axes have two values or more, none repeated. */
export function pairwise<A extends Readonly<Record<string, readonly unknown[]>>>(axes: A): Choice<A>[] {
  const names = Object.keys(axes)
  const open = new Set<string>()
  const pairKey = (a: number, i: number, b: number, j: number) => `${a}:${i} ${b}:${j}`
  for (let a = 0; a < names.length; a++) {
    for (let b = a + 1; b < names.length; b++) {
      for (let i = 0; i < axes[names[a]!]!.length; i++) {
        for (let j = 0; j < axes[names[b]!]!.length; j++) open.add(pairKey(a, i, b, j))
      }
    }
  }
  const chosen: number[][] = []
  while (open.size > 0) {
    const [a, i, b, j] = [...open][0]!.split(/[: ]/).map(Number) as [number, number, number, number]
    const choice = names.map((_, axis) => (axis === a ? i : axis === b ? j : -1))
    for (let axis = 0; axis < names.length; axis++) {
      if (choice[axis]! >= 0) continue
      const gains = axes[names[axis]!]!.map((_, value) => gain(choice, axis, value))
      choice[axis] = gains.indexOf(Math.max(...gains))
    }
    for (let x = 0; x < names.length; x++) {
      for (let y = x + 1; y < names.length; y++) open.delete(pairKey(x, choice[x]!, y, choice[y]!))
    }
    chosen.push(choice)
  }
  return chosen.map(
    (choice) => Object.fromEntries(names.map((name, i) => [name, axes[name]![choice[i]!]])) as Choice<A>,
  )

  /** How many open pairs a value makes with those chosen. */
  function gain(choice: readonly number[], axis: number, value: number): number {
    return choice.filter((other, at) => {
      if (other < 0 || at === axis) return false
      return open.has(at < axis ? pairKey(at, other, axis, value) : pairKey(axis, value, at, other))
    }).length
  }
}
