/** `?` lists the keys. */
import { useEffect, useRef } from 'preact/hooks'

const KEYS: readonly (readonly [string, string])[] = [
  ['← →', 'one version back, one on'],
  ['Home End', 'first version, latest'],
  ['Tab', 'from pane to pane'],
  ['Enter', 'opens a file, a commit, an action'],
  ['Esc', 'closes what is open'],
  ['Ctrl+Enter', 'runs the call that is being typed'],
  ['?', 'this list'],
]

export function KeysHelp() {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement
      if (event.key !== '?' || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return
      dialog.current?.showModal()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      <button type="button" class="plain keys-button" onClick={() => dialog.current?.showModal()}>
        Keys
      </button>
      <dialog ref={dialog} class="keys" aria-label="keys">
        <h2>Keys</h2>
        <dl>
          {KEYS.map(([key, what]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </>
  )
}
