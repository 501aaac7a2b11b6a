/** Light, dark, or as the system says; remembered by the browser. */
import { useEffect, useState } from 'preact/hooks'

const CHOICES = ['system', 'light', 'dark'] as const
type Theme = (typeof CHOICES)[number]

export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(
    () => CHOICES.find((name) => name === localStorage.getItem('theme')) ?? 'system',
  )
  useEffect(() => {
    localStorage.setItem('theme', theme)
    if (theme === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = theme
  }, [theme])
  return (
    <label class="theme">
      <span class="visually-hidden">colours</span>
      <select value={theme} onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
        {CHOICES.map((name) => (
          <option key={name} value={name}>
            {name === 'system' ? 'as the system' : name}
          </option>
        ))}
      </select>
    </label>
  )
}
