// Package guide asks what a stage must have, writes the choices into tidemark.yaml without touching
// anything else of it, and deploys the stage: from the questions to the check of the installation.
package guide
