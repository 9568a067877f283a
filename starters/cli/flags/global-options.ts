import { given } from '../../../providers/given.ts';

/** Options of every command, as kubectl and temporal name them. */
export interface GlobalOptions {
  /** Kubernetes namespace. */
  readonly namespace?: string;
  readonly context?: string;
  readonly kubeconfig?: string;
  readonly output?: OutputFormat;
  /** `host:port` of Temporal's frontend; for where it is, all told, see temporal-access.ts. */
  readonly temporalAddress?: string;
  readonly temporalNamespace?: string;
  /** Profile of temporal.toml. */
  readonly profile?: string;
}

export const OUTPUT_FORMATS = ['json', 'yaml', 'wide'] as const;
/** What follows `jsonpath=` is a template in kubectl's syntax. */
export type OutputFormat = (typeof OUTPUT_FORMATS)[number] | `jsonpath=${string}`;

/** The part that says which cluster. */
export function kubeOptions({ kubeconfig, context }: GlobalOptions): { kubeconfig?: string; context?: string } {
  return { ...given({ kubeconfig, context }) };
}
