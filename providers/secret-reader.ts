/** How a provider gets at the credentials that a spec names. */

/** Reads a Secret: its decoded data, or undefined where there is none. */
export type SecretReader = (
  namespace: string,
  name: string,
) => Promise<Readonly<Record<string, Uint8Array>> | undefined>;
