/** Starts the page. */
import { render } from 'preact'
import { App } from './app.tsx'
import { startReader } from './client.ts'
import './style.css'

const root = document.getElementById('app')
if (root !== null) render(<App reader={startReader()} />, root)
