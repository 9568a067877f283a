import type { Api } from '../../k8s/dialects/kind.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { given } from '../../providers/given.ts';

/** What tells the objects of all kinds apart, as long as none is deleted and made again. */
export function objectKey({ apiVersion, kind, namespace, name }: Omit<ObjectRef, 'uid'>): string {
  return `${apiVersion} ${kind} ${namespace}/${name}`;
}

/** What an object says it belongs to, by name. */
interface Named {
  /** Empty where nothing says it. */
  readonly clusterName: string;
  readonly machineClass: string | undefined;
}

/** Keys of what an object of an API belongs to, whether it is there or not. */
export interface NamedKeys {
  readonly clusterKey?: string;
  /** Of the MachineClass that it, or its template, refers to. */
  readonly classKey?: string;
}

export function keysOfNamed(api: Api, namespace: string, { clusterName, machineClass = '' }: Named): NamedKeys {
  return given({
    clusterKey:
      api.cluster === undefined || clusterName === ''
        ? undefined
        : objectKey({ ...api.cluster.resource, namespace, name: clusterName }),
    classKey:
      api.machineClass === undefined || machineClass === ''
        ? undefined
        : objectKey({ ...api.machineClass.resource, namespace, name: machineClass }),
  });
}
