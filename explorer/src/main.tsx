/** Starts the page. */
import { render } from 'preact'
import { App } from './app.tsx'
import { startRemote } from './client.ts'
import './style/index.css'

const root = document.getElementById('app')
if (root !== null) render(<App remote={startRemote()} />, root)
