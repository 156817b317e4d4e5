all: build
