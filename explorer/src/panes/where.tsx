/** The box for a predicate; what is typed stays, also when it is refused. */
import { useEffect, useState } from 'preact/hooks'

interface Props {
  readonly where: string
  readonly onWhere: (where: string) => void
  readonly label?: string
  readonly placeholder?: string
}

export function WhereBox({ where, onWhere, label = 'where', placeholder = "country = 'DE' and amount > 10" }: Props) {
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
        <span class="quiet">{label}</span>
        <input
          type="text"
          name="where"
          value={text}
          spellcheck={false}
          autocomplete="off"
          placeholder={placeholder}
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
