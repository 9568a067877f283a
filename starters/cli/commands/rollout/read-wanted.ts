import { parseAllDocuments } from 'yaml';
import type { Resource } from '../../../../k8s/resources.ts';
import { CliError } from '../../cli-error.ts';
import { given } from '../../../../providers/given.ts';

/** A MachineDeployment as a file has it: nothing of its spec was checked. */
export interface Wanted<K = unknown> {
  readonly kind: K;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: unknown;
    readonly annotations?: unknown;
  };
  readonly spec: unknown;
}

/**
 * The one MachineDeployment of a file.
 *
 * @param kinds those that are a MachineDeployment
 */
export function readWanted<K extends { readonly resource: Resource }>(text: string, kinds: readonly K[]): Wanted<K> {
  const documents = parseAllDocuments(text);
  const [broken] = documents.flatMap(({ errors }) => errors);
  if (broken !== undefined) throw new CliError(`the file is neither YAML nor JSON: ${broken.message}`);
  const objects = documents.map((document): unknown => document.toJS()).filter((object) => object !== null);
  const [only, ...others] = objects;
  if (only === undefined) throw new CliError('the file is empty: it has to have a MachineDeployment');
  if (others.length > 0) {
    throw new CliError(`there are ${objects.length} documents in the file: plan one MachineDeployment at a time`);
  }
  const { apiVersion, kind: named, metadata, spec } = Object(only) as Record<string, unknown>;
  const kind = kinds.find(({ resource }) => resource.apiVersion === apiVersion && resource.kind === named);
  if (kind === undefined) {
    const known = kinds.map(({ resource }) => `${resource.kind} of ${resource.apiVersion}`).join(' or ');
    throw new CliError(`the file has ${describe(named, apiVersion)}: it has to be a ${known}`);
  }
  const { name, namespace, labels, annotations } = Object(metadata) as Record<string, unknown>;
  if (typeof name !== 'string' || name === '') throw new CliError('the MachineDeployment has no metadata.name');
  if (namespace !== undefined && typeof namespace !== 'string') {
    throw new CliError('metadata.namespace of the MachineDeployment is no text');
  }
  return { kind, metadata: { name, ...given({ namespace }), labels, annotations }, spec };
}

function describe(kind: unknown, apiVersion: unknown): string {
  if (typeof kind !== 'string') return 'no Kubernetes object';
  return `a ${kind}${typeof apiVersion === 'string' ? ` of ${apiVersion}` : ''}`;
}
