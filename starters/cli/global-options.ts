/** Options of every command, as kubectl and temporal name them. */
export interface GlobalOptions {
  /** Kubernetes namespace. */
  readonly namespace?: string;
  readonly context?: string;
  readonly kubeconfig?: string;
  readonly output?: OutputFormat;
  /** `host:port` of Temporal's frontend. */
  readonly temporalAddress: string;
  readonly temporalNamespace: string;
}

export const OUTPUT_FORMATS = ['json', 'yaml', 'wide'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** The part that says which cluster. */
export function kubeOptions({ kubeconfig, context }: GlobalOptions): { kubeconfig?: string; context?: string } {
  return { ...(kubeconfig === undefined ? {} : { kubeconfig }), ...(context === undefined ? {} : { context }) };
}
