import { readNamed } from '../../../../activities/read-stored.ts';
import type { MachineTemplate } from '../../../../k8s/model/machine-set.ts';
import type { MachineClass } from '../../../../k8s/model/machine-class.ts';
import type { ObjectRef } from '../../../../k8s/model/object-ref.ts';
import { given } from '../../../../providers/given.ts';
import type { KubeAccess } from '../../access/kube-access.ts';
import { reasonOf } from '../../cli-error.ts';

/** What is known of a MachineClass. */
export interface ClassSight {
  /** Absent: it says none, or cannot be read. */
  readonly instanceType?: string;
  /** Why nothing is launched of it, or nobody can tell: a sentence. Absent: nothing is wrong with it. */
  readonly problem?: string;
}

/** By the names of the classes. */
export type ClassSights = ReadonlyMap<string, ClassSight>;

/**
 * Looks at the MachineClasses that templates refer to.
 *
 * @param ref of the deployment, whose API and namespace they are of
 */
export async function lookAtClasses(
  access: Pick<KubeAccess, 'kube' | 'apis'>,
  ref: ObjectRef,
  templates: readonly MachineTemplate[],
): Promise<ClassSights> {
  const names = [...new Set(templates.flatMap(({ machineClass }) => machineClass ?? []))];
  return new Map(await Promise.all(names.map(async (name) => [name, await lookAtClass(access, ref, name)] as const)));
}

/** Of what a template launches; undefined: it says none, as where a cloud has no types. */
export function instanceTypeOf(
  { machineClass, providerSpec }: MachineTemplate,
  classes: ClassSights,
): string | undefined {
  if (machineClass !== undefined) return classes.get(machineClass)?.instanceType;
  return typeIn(providerSpec);
}

async function lookAtClass(
  { kube, apis }: Pick<KubeAccess, 'kube' | 'apis'>,
  ref: ObjectRef,
  name: string,
): Promise<ClassSight> {
  const kind = apis.apiOf(ref).machineClass;
  if (kind === undefined) return {};
  const what = `${kind.resource.kind} ${ref.namespace}/${name}`;
  try {
    const stored = await readNamed(kube, kind.resource, ref.namespace, name);
    if (stored === undefined) return { problem: `${what} does not exist: no machine is launched before it does` };
    return sightOf(kind.read(stored).machineClass, what);
  } catch (error) {
    return { problem: `${what} cannot be read, so that the instance type is not known: ${reasonOf(error)}` };
  }
}

function sightOf({ malformed, providerSpec }: MachineClass, what: string): ClassSight {
  const problem = malformed && `${what} is malformed, and no machine is launched until it is mended: ${malformed}`;
  return given({ problem, instanceType: typeIn(providerSpec) });
}

function typeIn(providerSpec: unknown): string | undefined {
  const { instanceType } = Object(providerSpec) as { readonly instanceType?: unknown };
  return typeof instanceType === 'string' ? instanceType : undefined;
}
