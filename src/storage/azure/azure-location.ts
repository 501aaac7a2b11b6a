/** An `az://container/key` address in its parts. */

const ADDRESS = /^az:\/\/([a-z0-9](?:-?[a-z0-9]){2,62}|\$root)(?:\/(.*))?$/is

/**
 * The parts as written: nothing is decoded.
 *
 * @returns undefined where it is no such address
 */
export function parseAzureAddress(address: string): { readonly container: string; readonly key: string } | undefined {
  const [, container, key = ''] = ADDRESS.exec(address) ?? []
  return container === undefined ? undefined : { container, key }
}
