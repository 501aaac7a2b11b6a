/** Opens a table that nobody serves: a folder of this machine, or an address. */
import { useRef, useState } from 'preact/hooks'
import type { TableSource } from '../../messages.ts'

declare global {
  interface Window {
    showDirectoryPicker?: () => Promise<FileSystemDirectoryHandle>
  }
}

export function OpenScreen({ onOpen }: { onOpen: (source: TableSource) => void }) {
  const [url, setUrl] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const pick = async () => {
    if (window.showDirectoryPicker === undefined) return input.current?.click()
    const folder = await window.showDirectoryPicker().catch(() => undefined)
    if (folder !== undefined) onOpen({ kind: 'folder', folder })
    return undefined
  }
  return (
    <main class="home">
      <h1>Open a table</h1>
      <div class="doors two">
        <section class="door">
          <h2>A folder</h2>
          <p>
            The folder of a Delta table, the one that holds _delta_log. Its files are read here: nothing leaves this
            machine.
          </p>
          <button type="button" class="primary" onClick={() => void pick()}>
            Choose a folder
          </button>
          <input
            ref={input}
            type="file"
            hidden
            aria-label="folder of a table"
            {...{ webkitdirectory: true }}
            onChange={(event) => {
              const files = [...(event.currentTarget.files ?? [])]
              if (files.length > 0) onOpen({ kind: 'files', files })
            }}
          />
        </section>
        <section class="door">
          <h2>An address</h2>
          <p>
            A table behind http or https. Parts of files are read by ranges; the host must allow this page to read it
            (CORS).
          </p>
          <form
            class="where"
            onSubmit={(event) => {
              event.preventDefault()
              if (url.trim() !== '') onOpen({ kind: 'url', url: url.trim() })
            }}
          >
            <label>
              <span class="visually-hidden">address of the table</span>
              <input
                type="url"
                name="url"
                value={url}
                placeholder="https://host/lake/orders"
                onInput={(event) => setUrl(event.currentTarget.value)}
              />
            </label>
            <button type="submit" class="primary">
              Open
            </button>
          </form>
        </section>
      </div>
      <p class="quiet">
        From a terminal, <code>bayou explore /lake/orders</code> serves this page with the table in it, from a store
        too.
      </p>
    </main>
  )
}
