{{/*
A Deployment and its PodDisruptionBudget.
(dict "root" $ "component" "worker" "values" .Values.worker "replicas" 2 "resources" {…} "account" "worker" "args" (list …)
 "endsWithinSeconds" 50)
*/}}
{{- define "millwright.component" -}}
{{- $root := .root -}}
{{- $args := .args -}}
{{- $name := printf "%s-%s" (include "millwright.fullname" $root) .component -}}
{{- with $root.Values -}}
{{- $flags := list (printf "--health-host=%s" .listenAddress) (printf "--health-port=%d" (int .port)) (printf "--log-level=%s" .logLevel) -}}
{{- if .taskQueue -}}
{{- $flags = append $flags (printf "--task-queue=%s" .taskQueue) -}}
{{- end -}}
{{- $args = concat $args $flags -}}
{{- end -}}
{{- range .values.extraArgs -}}
{{- $args = append $args (toString .) -}}
{{- end -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "millwright.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  replicas: {{ .replicas }}
  selector:
    matchLabels:
      {{- include "millwright.selector" $root | nindent 6 }}
      app.kubernetes.io/component: {{ .component }}
  strategy:
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 1
  template:
    metadata:
      labels:
        {{- with .values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
        {{- include "millwright.labels" $root | nindent 8 }}
        app.kubernetes.io/component: {{ .component }}
        millwright.dev/program: {{ .account }}
      {{- with .values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      serviceAccountName: {{ include "millwright.fullname" $root }}-{{ .account }}
      automountServiceAccountToken: true
      enableServiceLinks: false
      terminationGracePeriodSeconds: {{ .endsWithinSeconds }}
      {{- with $root.Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      {{- include "millwright.podSecurity" $root | nindent 6 }}
      containers:
        - name: {{ .account }}
          image: {{ include "millwright.image" $root }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args:
            {{- toYaml $args | nindent 12 }}
          env:
            {{- include "millwright.temporalEnv" $root | nindent 12 }}
            {{- with $root.Values.otlpEndpoint }}
            - name: OTEL_EXPORTER_OTLP_ENDPOINT
              value: {{ . | quote }}
            {{- end }}
            {{- with .values.extraEnv }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          ports:
            - name: http
              containerPort: {{ $root.Values.port }}
          # It may wait for Temporal or the API server for as long as they are away: alive, and not ready.
          livenessProbe:
            httpGet: { path: /healthz, port: http }
            periodSeconds: 20
            timeoutSeconds: 5
            failureThreshold: 3
          readinessProbe:
            httpGet: { path: /readyz, port: http }
            periodSeconds: 5
            timeoutSeconds: 5
          startupProbe:
            httpGet: { path: /healthz, port: http }
            periodSeconds: 2
            timeoutSeconds: 2
            failureThreshold: 60
          resources:
            {{- toYaml .resources | nindent 12 }}
          {{- include "millwright.containerSecurity" $root | nindent 10 }}
          {{- with include "millwright.temporalMounts" $root }}
          {{- . | nindent 10 }}
          {{- end }}
      {{- with include "millwright.temporalVolumes" $root }}
      {{- . | nindent 6 }}
      {{- end }}
      topologySpreadConstraints:
        {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
        - topologyKey: {{ . }}
          maxSkew: 1
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "millwright.selector" $root | nindent 14 }}
              app.kubernetes.io/component: {{ $.component }}
          matchLabelKeys: [pod-template-hash]
        {{- end }}
      {{- with .values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
{{- if $root.Values.podDisruptionBudget.enabled }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "millwright.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  # Not minAvailable: with one replica that would keep its node from ever being drained.
  maxUnavailable: 1
  selector:
    matchLabels:
      {{- include "millwright.selector" $root | nindent 6 }}
      app.kubernetes.io/component: {{ .component }}
{{- end }}
{{- end -}}

{{/* One role as worker, as workflows or as activities. (list $ role) */}}
{{- define "millwright.worker" -}}
{{- $root := index . 0 -}}
{{- $role := index . 1 -}}
{{- $values := $root.Values.worker -}}
{{- $args := list "worker" (printf "--shutdown-grace=%d" (int $values.shutdownGraceSeconds)) (printf "--lease-namespace=%s" $root.Release.Namespace) -}}
{{- if $values.cloudRates -}}
{{- $args = append $args (printf "--cloud-rates=%s" (join "," $values.cloudRates)) -}}
{{- end -}}
{{- if $values.clusterNames -}}
{{- $args = append $args (printf "--cluster-names=%s" (join "," $values.clusterNames)) -}}
{{- end -}}
{{- $own := $values -}}
{{- if $role -}}
{{- $args = append $args (printf "--role=%s" $role) -}}
{{- $own = get $values $role -}}
{{- end -}}
{{- include "millwright.component" (dict
  "root" $root
  "component" (ternary (printf "worker-%s" $role) "worker" (ne $role ""))
  "account" "worker"
  "values" $values
  "replicas" $own.replicas
  "resources" ($own.resources | default $values.resources)
  "args" $args
  "endsWithinSeconds" (add $values.shutdownGraceSeconds 30)
) -}}
{{- end -}}
