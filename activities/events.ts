import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { KubeClient } from '../k8s/client.ts';
import { isAlreadyExists } from '../k8s/kube-error.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import { EVENTS } from '../k8s/resources.ts';
import { timestamp, type Clock } from '../providers/clock.ts';
import type { ObjectEvent } from '../workflows/event-activities.ts';

/** Shows what happened beside an object, as `kubectl describe` lists it. Never fails: what could not be sent is logged. */
export interface EventRecorder {
  record(ref: ObjectRef, event: ObjectEvent): Promise<void>;
}

/** Kubernetes cuts longer messages off. */
const LONGEST_MESSAGE = 1024;

export function createEventRecorder(kube: KubeClient, clock: Clock, log: Logger): EventRecorder {
  return {
    async record(ref, event) {
      const now = timestamp(clock);
      const digest = createHash('sha256').update(`${ref.uid}${event.reason}${event.message}${now}`).digest('hex');
      const body = {
        apiVersion: EVENTS.apiVersion,
        kind: EVENTS.kind,
        metadata: { name: `${ref.name.slice(0, 200)}.${digest.slice(0, 16)}`, namespace: ref.namespace },
        involvedObject: ref,
        type: event.type,
        reason: event.reason,
        message: event.message.slice(0, LONGEST_MESSAGE),
        source: { component: 'millwright' },
        reportingComponent: 'millwright',
        firstTimestamp: now,
        lastTimestamp: now,
        count: 1,
      };
      try {
        await kube.create(EVENTS, ref.namespace, body);
      } catch (error) {
        if (!isAlreadyExists(error)) log.warn({ object: ref, event, error: String(error) }, 'event could not be sent');
      }
    },
  };
}
