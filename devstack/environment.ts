/** Settings of other clusters, clouds and Temporals, which the embedded stack must not act on. */
const IGNORED = /^(KUBECONFIG$|TEMPORAL_|AWS_)/;

/** For servers in Go that share few cores with everything else: collecting garbage a third as often costs memory instead. */
export const RARE_GARBAGE_COLLECTION = { GOGC: '300' } as const;

/** Names of the variables that are set here and that the embedded stack ignores. */
export function ignoredVariables(environment: NodeJS.ProcessEnv = process.env): string[] {
  return Object.keys(environment)
    .filter((name) => IGNORED.test(name))
    .sort();
}

/** This program's environment for a child, without what {@link ignoredVariables} names, with `added`. */
export function childEnvironment(added: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !IGNORED.test(name) && name !== 'NODE_OPTIONS');
  return { ...Object.fromEntries(kept), ...added };
}
