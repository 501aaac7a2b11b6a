/** The box for a predicate; what is typed stays, also when it is refused. */
import { useEffect, useState } from 'preact/hooks'

export function WhereBox({ where, onWhere }: { where: string; onWhere: (where: string) => void }) {
  const [text, setText] = useState(where)
  useEffect(() => setText(where), [where])
  return (
    <form
      class="where"
      aria-label="filter"
      onSubmit={(event) => {
        event.preventDefault()
        onWhere(text.trim())
      }}
    >
      <label>
        <span class="quiet">where</span>
        <input
          type="text"
          name="where"
          value={text}
          spellcheck={false}
          placeholder="country = 'DE' and amount > 10"
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <button type="submit">Apply</button>
      {where !== '' && (
        <button type="button" onClick={() => onWhere('')}>
          Clear
        </button>
      )}
    </form>
  )
}
