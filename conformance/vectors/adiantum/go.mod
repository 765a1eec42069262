module ciphermeter/vectors/adiantum

go 1.25.0

require lukechampine.com/adiantum v1.1.1

require (
	golang.org/x/crypto v0.23.0 // indirect
	golang.org/x/sys v0.20.0 // indirect
)
