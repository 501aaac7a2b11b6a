/** Puts rows on the page, and tells when they are painted: milliseconds since the page was asked for. */
export async function shown(rows) {
  const body = document.createElement('tbody')
  for (const row of rows) {
    const line = body.insertRow()
    for (const value of Object.values(row)) line.insertCell().textContent = String(value)
  }
  document.querySelector('table').replaceChildren(body)
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  window.done = { ms: performance.now(), rows: rows.length, text: body.rows[0]?.cells[0]?.textContent ?? '' }
}
